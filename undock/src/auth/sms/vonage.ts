import { z } from 'zod'
import type { AuthConfig } from '../deps.ts'
import { postForm, type SmsSender } from './sms.ts'

const Answer = z.object({
  messages: z
    .array(
      z.object({
        'message-id': z.string().default(''),
        status: z.coerce.string(),
        'error-text': z.string().default(''),
      }),
    )
    .default([]),
})

/** @see supabase/auth internal/api/sms_provider/vonage.go */
export function vonageSender(
  { from, api_key, api_secret }: AuthConfig['sms']['vonage'],
  fetch: typeof globalThis.fetch,
): SmsSender {
  return {
    async send({ phone, message }) {
      const isPlain = /^[\x20-\x7e\s]*$/.test(message)
      const fields = { from, to: phone, text: message, api_key, api_secret, ...(isPlain ? {} : { type: 'unicode' }) }
      const { body } = await postForm(fetch, 'https://rest.nexmo.com/sms/json', fields)
      const [sent] = Answer.parse(body).messages
      if (!sent) throw new Error('vonage error: Internal Error')
      const { 'message-id': id, 'error-text': error, status } = sent
      // Failures have a non-zero status, in an answer with status 200.
      if (status !== '0') throw new Error(`vonage error: ${error} (status: ${status}) for message ${id}`)
      return id
    },
  }
}
