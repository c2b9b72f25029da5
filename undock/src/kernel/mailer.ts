export type Mail = {
  /** `Name <address>` or an address alone. */
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly html: string
  readonly text?: string
}

/** Where services hand in mail: the inbox, or a real SMTP server when one is configured.
 *  Resolves once the mail is accepted. */
export type Mailer = { send(mail: Mail): Promise<void> }
