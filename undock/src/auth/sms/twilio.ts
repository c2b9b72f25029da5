import { z } from 'zod'
import type { AuthConfig } from '../deps.ts'
import { postForm, type SmsSender } from './sms.ts'

type Settings = AuthConfig['sms']['twilio']
type VerifySettings = AuthConfig['sms']['twilio_verify']

const credentials = ({ account_sid, auth_token }: VerifySettings): string =>
  `Basic ${btoa(`${account_sid}:${auth_token}`)}`

const Message = z.object({
  sid: z.string().default(''),
  status: z.string().nullish(),
  error_code: z.coerce.string().nullish(),
  error_message: z.string().nullish(),
})

/** Programmable Messaging. @see supabase/auth internal/api/sms_provider/twilio.go */
export function twilioSender(settings: Settings, fetch: typeof globalThis.fetch): SmsSender {
  const url = `https://api.twilio.com/2010-04-01/Accounts/${encodeURIComponent(settings.account_sid)}/Messages.json`
  return {
    async send({ phone, message, code, channel }) {
      const prefix = channel === 'whatsapp' ? 'whatsapp:' : ''
      const from = settings.message_service_sid
      const isNumber = /^[1-9][0-9]{1,14}$/.test(from.replace(/^\+/, '').replaceAll(' ', ''))
      const fields = {
        To: `${prefix}+${phone}`,
        Channel: channel,
        From: isNumber ? prefix + from : from,
        // WhatsApp only delivers approved templates.
        ...(prefix && settings.content_sid
          ? { ContentSID: settings.content_sid, ContentVariables: JSON.stringify({ 1: code }) }
          : { Body: message }),
      }
      const { status, body } = await postForm(fetch, url, fields, credentials(settings))
      if (status !== 200 && status !== 201) throw refusal(body)
      const sent = Message.parse(body)
      if (sent.status === 'failed' || sent.status === 'undelivered') {
        throw new Error(`twilio error: ${sent.error_message ?? ''} ${sent.error_code ?? ''} for message ${sent.sid}`)
      }
      return sent.sid
    },
  }
}

const Check = z.object({ status: z.string().nullish(), valid: z.boolean().nullish() })

/** Verify: Twilio generates and checks the code. @see supabase/auth internal/api/sms_provider/twilio_verify.go */
export function twilioVerifySender(settings: VerifySettings, fetch: typeof globalThis.fetch): SmsSender {
  const service = `https://verify.twilio.com/v2/Services/${encodeURIComponent(settings.message_service_sid)}`
  const ask = (path: string, fields: Record<string, string>) =>
    postForm(fetch, `${service}/${path}`, fields, credentials(settings))
  return {
    async send({ phone, channel }) {
      const { status, body } = await ask('Verifications', { To: `+${phone}`, Channel: channel })
      if (status !== 200 && status !== 201) throw refusal(body)
      return Message.parse(body).sid
    },
    async verify(phone, code) {
      const { status, body } = await ask('VerificationCheck', { To: `+${phone}`, Code: code })
      const check = Check.safeParse(body)
      return (status === 200 || status === 201) && check.data?.status === 'approved' && check.data.valid === true
    },
  }
}

const ErrorBody = z.object({ message: z.string().default(''), more_info: z.string().default('') })

function refusal(body: unknown): Error {
  const { message, more_info } = ErrorBody.parse(body)
  return new Error(`${message} More information: ${more_info}`)
}
