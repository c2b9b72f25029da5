export type Mail = {
  /** `Name <address>` or an address alone. */
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly html: string
  readonly text?: string
}

/** Accepts mail from services: the inbox, or a real SMTP server when one is configured.
 *  `send` resolves once the mail is accepted. */
export type Mailer = { send(mail: Mail): Promise<void> }
