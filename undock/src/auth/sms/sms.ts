export type Channel = 'sms' | 'whatsapp'

type Sms = {
  /** E.164 without its plus. */
  readonly phone: string
  readonly message: string
  /** The code within the message. */
  readonly code: string
  readonly channel: Channel
}

/** One provider of `[auth.sms]`. What it refuses is thrown with its own words. */
export type SmsSender = {
  /** @returns what the provider calls the message, empty when it names none */
  send(sms: Sms): Promise<string>
  /** Only where the provider makes up the code itself: whether it is the one that it sent. */
  verify?(phone: string, code: string): Promise<boolean>
}
