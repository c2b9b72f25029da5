import { modelSettings } from '../_shared/answer/model.ts'
import { callerClient } from '../_shared/clients.ts'
import { refusal } from '../_shared/errors.ts'
import { eventAction } from '../_shared/http.ts'
import { ask, Question } from './asking.ts'

Deno.serve(
  eventAction(async (body, request) => {
    const input = Question.safeParse(body)
    if (!input.success)
      throw refusal('request_invalid', {
        usage:
          'Send { "library_id": "<uuid>", "question": "…" } with 1 to 1,000 characters; "document_ids" are 1 to 100 ids.',
      })
    return await ask(input.data, {
      caller: callerClient(request),
      model: modelSettings((name) => Deno.env.get(name)),
    })
  }),
)
