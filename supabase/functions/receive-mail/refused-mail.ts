/** How a mail arrives: raw, or from a service. They differ in the response that prevents a retry. */
export type Form = 'message' | 'postmark' | 'mailgun' | 'sendgrid'

/** Why a mail is rejected. "unavailable" and "busy" are temporary. */
export type Reason =
  | 'unauthorized'
  | 'unsupported'
  | 'unknown'
  | 'off'
  | 'owner'
  | 'sender'
  | 'attachments'
  | 'damaged'
  | 'large'
  | 'busy'
  | 'unavailable'

const MESSAGES: Readonly<Record<Reason, string>> = {
  unauthorized: 'The request does not have the secret of MAIL_IN_SECRET.',
  unsupported: 'The request has no raw message. Turn on raw messages (MIME) in your email service.',
  unknown: 'No library has this address.',
  off: 'This address is turned off.',
  owner: 'The owner of this address can no longer add documents.',
  sender: 'Only members of the library can send to this address.',
  attachments: 'An email can have at most 50 attachments.',
  damaged: 'The email is damaged and can’t be read.',
  large: 'An email can have at most 25 MB and 500,000 lines.',
  busy: 'Too many emails came to this address within an hour. Try again later.',
  unavailable: 'Something went wrong on our side. Try again in a few minutes.',
}

const STATUS: Readonly<Record<Reason, number>> = {
  unauthorized: 401,
  unsupported: 415,
  unknown: 404,
  off: 403,
  owner: 403,
  sender: 403,
  attachments: 422,
  damaged: 422,
  large: 413,
  busy: 503,
  unavailable: 503,
}

/** The status that prevents a retry. SendGrid stops only on 2xx. */
const FINAL: Readonly<Record<Exclude<Form, 'message'>, number>> = { postmark: 403, mailgun: 406, sendgrid: 200 }

/** Caused by wrong settings: services retry, so that no mail is lost until they're fixed. */
const SETTINGS: readonly Reason[] = ['unauthorized', 'unsupported']

export class MailRefusal extends Error {
  readonly reason: Reason

  constructor(reason: Reason) {
    super(MESSAGES[reason])
    this.reason = reason
  }
}

/** @returns the rejection in the form that the sending service understands: `{ code, message }`. */
export function refusalResponse({ reason, message }: MailRefusal, form: Form): Response {
  const passes = STATUS[reason] >= 500
  const status = form === 'message' || passes || SETTINGS.includes(reason) ? STATUS[reason] : FINAL[form]
  const headers: HeadersInit = passes
    ? { 'Retry-After': '600' }
    : reason === 'unauthorized'
      ? { 'WWW-Authenticate': 'Basic' }
      : {}
  return Response.json({ code: reason, message }, { status, headers })
}
