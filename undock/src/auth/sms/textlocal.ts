import { z } from 'zod'
import type { AuthConfig } from '../deps.ts'
import { postForm } from './post-form.ts'
import type { SmsSender } from './sms.ts'

/** Textlocal's code for a text that is none of the account's approved templates. */
const TEMPLATE_ERROR = 80

const Answer = z.object({
  status: z.string(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })).default([]),
  messages: z.array(z.object({ id: z.coerce.string() })).default([]),
})

/** @see supabase/auth internal/api/sms_provider/textlocal.go */
export function textlocalSender(
  { sender, api_key: apikey }: AuthConfig['sms']['textlocal'],
  fetch: typeof globalThis.fetch,
): SmsSender {
  return {
    async send({ phone, message }) {
      const fields = { sender, apikey, message, numbers: phone }
      const { body } = await postForm(fetch, 'https://api.textlocal.in/send', fields)
      const { status, errors, messages } = Answer.parse(body)
      const id = messages[0]?.id ?? ''
      if (status === 'success') return id
      const [error] = errors
      const about = error?.code === TEMPLATE_ERROR ? `template message: ${message}` : `message ${id}`
      throw new Error(`textlocal error: ${error?.message ?? ''} (code: ${error?.code ?? 0}) ${about}`)
    },
  }
}
