/** How a mail comes: as itself, or as a service hands it over. They differ in which answer keeps them from sending it again. */
export type Form = 'message' | 'postmark' | 'mailgun' | 'sendgrid'

/** Why a mail is not taken. "unavailable" and "busy" pass, the others do not. */
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
  unsupported:
    'The request contains no raw message. Turn on raw messages (MIME) where your mail service hands them over.',
  unknown: 'No library has this address.',
  off: 'This address is turned off.',
  owner: 'Whoever made this address may not add documents any more.',
  sender: 'Only members of the library may send to this address.',
  attachments: 'A mail may have 50 attachments.',
  damaged: 'The message is damaged and cannot be read.',
  large: 'A mail may have 25 MB and 500,000 lines.',
  busy: 'Too many mails have come to this address within an hour. Try again later.',
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

/** The answers after which a service does not send the mail again. SendGrid ends with a 2xx alone. */
const FINAL: Readonly<Record<Exclude<Form, 'message'>, number>> = { postmark: 403, mailgun: 406, sendgrid: 200 }

/** What a wrong setting of an administrator causes: a service tries again, so that no mail is lost until it is right. */
const SETTINGS: readonly Reason[] = ['unauthorized', 'unsupported']

export class MailRefusal extends Error {
  readonly reason: Reason

  constructor(reason: Reason) {
    super(MESSAGES[reason])
    this.reason = reason
  }
}

/** @returns the refusal as whoever handed the mail over understands it: `{ code, message }`. */
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
