import { serviceClient } from '../_shared/clients.ts'
import { action, json } from '../_shared/http.ts'
import { describeRequest, receiveFile } from './receiving.ts'

/** For senders without an account. JSON asks what is requested; other bodies are files described by X-File. */
Deno.serve(
  action(async (request) => {
    const receive = request.headers.has('X-File') ? receiveFile : describeRequest
    return json(await receive(serviceClient(), request))
  }),
)
