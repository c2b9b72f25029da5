import { modelSettings } from '../_shared/answer/model.ts'
import { callerClient } from '../_shared/clients.ts'
import { eventAction, inputOf } from '../_shared/http.ts'
import { ask, Question } from './asking.ts'

Deno.serve(
  eventAction(async (body, request) => {
    const usage =
      'Send { "library_id": "<uuid>", "question": "…" } with 1 to 1,000 characters; "document_ids" are 1 to 100 ids.'
    return await ask(inputOf(Question, body, usage), {
      caller: callerClient(request),
      model: modelSettings((name) => Deno.env.get(name)),
    })
  }),
)
