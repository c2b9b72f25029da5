import type { AuthConfig, AuthDeps } from '../deps.ts'
import { hookEnabled } from '../hooks/hooks.ts'
import { messagebirdSender } from './messagebird.ts'
import type { Channel, SmsSender } from './sms.ts'
import { textlocalSender } from './textlocal.ts'
import { twilioSender, twilioVerifySender } from './twilio.ts'
import { vonageSender } from './vonage.ts'

const PROVIDERS = ['twilio', 'twilio_verify', 'messagebird', 'textlocal', 'vonage'] as const

/** Only the first provider that is enabled counts, in the CLI's order. */
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

/** The project's own hook sends in place of any provider, and to any channel. */
export function channelAllowed(config: AuthConfig, channel: string): channel is Channel {
  if (channel === 'sms' || hookEnabled(config, 'send_sms')) return true
  return channel === 'whatsapp' && (activeProvider(config) ?? '').startsWith('twilio')
}
