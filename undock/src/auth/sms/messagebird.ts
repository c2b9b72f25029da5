import { z } from 'zod'
import type { AuthConfig } from '../deps.ts'
import { postForm } from './post-form.ts'
import type { SmsSender } from './sms.ts'

const AuthErrorName = z.object({ errors: z.array(z.object({ description: z.string() })).min(1) })

const Message = z.object({ id: z.string(), recipients: z.object({ totalSentCount: z.number() }) })

/** @see supabase/auth internal/api/sms_provider/messagebird.go */
export function messagebirdSender(
  { originator, access_key }: AuthConfig['sms']['messagebird'],
  fetch: typeof globalThis.fetch,
): SmsSender {
  return {
    async send({ phone, message }) {
      const fields = { originator, body: message, recipients: phone, type: 'sms', datacoding: 'unicode' }
      const { body } = await postForm(fetch, 'https://rest.messagebird.com/messages', fields, `AccessKey ${access_key}`)
      const refused = AuthErrorName.safeParse(body)
      if (refused.success) throw new Error(refused.data.errors[0]?.description)
      const { id, recipients } = Message.parse(body)
      if (recipients.totalSentCount === 0) throw new Error('messagebird error: total sent count is 0')
      return id
    },
  }
}
