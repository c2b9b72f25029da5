import { z } from 'zod'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { hookEnabled } from '../hooks/hooks.ts'
import { type Channel, postForm, type SmsSender } from './sms.ts'
import { twilioSender, twilioVerifySender } from './twilio.ts'
import { vonageSender } from './vonage.ts'

/** Textlocal's code for a text that isn't an approved template. */
const TEMPLATE_ERROR = 80

const Answer = z.object({
  status: z.string(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })).default([]),
  messages: z.array(z.object({ id: z.coerce.string() })).default([]),
})

/** @see supabase/auth internal/api/sms_provider/textlocal.go */
function textlocalSender(
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

const ErrorBody = z.object({ errors: z.array(z.object({ description: z.string() })).min(1) })

const Message = z.object({ id: z.string(), recipients: z.object({ totalSentCount: z.number() }) })

/** @see supabase/auth internal/api/sms_provider/messagebird.go */
function messagebirdSender(
  { originator, access_key }: AuthConfig['sms']['messagebird'],
  fetch: typeof globalThis.fetch,
): SmsSender {
  return {
    async send({ phone, message }) {
      const fields = { originator, body: message, recipients: phone, type: 'sms', datacoding: 'unicode' }
      const { body } = await postForm(fetch, 'https://rest.messagebird.com/messages', fields, `AccessKey ${access_key}`)
      const refused = ErrorBody.safeParse(body)
      if (refused.success) throw new Error(refused.data.errors[0]?.description)
      const { id, recipients } = Message.parse(body)
      if (recipients.totalSentCount === 0) throw new Error('messagebird error: total sent count is 0')
      return id
    },
  }
}

const PROVIDERS = ['twilio', 'twilio_verify', 'messagebird', 'textlocal', 'vonage'] as const

/** Returns the first enabled provider, in the CLI's order. */
export const activeProvider = ({ sms }: AuthConfig) => PROVIDERS.find((name) => sms[name].enabled) ?? null

export function senderOf({ config, fetch }: Pick<AuthDeps, 'config' | 'fetch'>): SmsSender | null {
  const { sms } = config
  switch (activeProvider(config)) {
    case 'twilio':
      return twilioSender(sms.twilio, fetch)
    case 'twilio_verify':
      return twilioVerifySender(sms.twilio_verify, fetch)
    case 'messagebird':
      return messagebirdSender(sms.messagebird, fetch)
    case 'textlocal':
      return textlocalSender(sms.textlocal, fetch)
    case 'vonage':
      return vonageSender(sms.vonage, fetch)
    case null:
      return null
  }
}

/** Returns whether a channel is available. The project's own hook replaces any provider, for any channel. */
export function channelAllowed(config: AuthConfig, channel: string): channel is Channel {
  if (channel === 'sms' || hookEnabled(config, 'send_sms')) return true
  return channel === 'whatsapp' && (activeProvider(config) ?? '').startsWith('twilio')
}
