export type Channel = 'sms' | 'whatsapp'

type Sms = {
  readonly phone: string
  readonly message: string
  readonly code: string
  readonly channel: Channel
}

/** A provider of `[auth.sms]`. Throws its errors in its own words. */
export type SmsSender = {
  /** @returns the provider's message id, or empty */
  send(sms: Sms): Promise<string>
  /** Checks a code, only for providers that generate it. */
  verify?(phone: string, code: string): Promise<boolean>
}
