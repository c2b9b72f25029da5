/** The texts of a template, in the language of Go's html/template. */
export type TemplateText = { readonly subject: string; readonly content: string }

/** Where a project's own template is: its subject in config.toml, its content in a file. Null for what it leaves out. */
export type OwnTemplate = {
  readonly subject: string | null
  /** Absolute. */
  readonly contentPath: string | null
  /** Of a notification: whether it is sent. Other mails always are. */
  readonly isEnabled: boolean
}

export type DescribedTemplate = {
  /** As config.toml names it, such as `magic_link`. */
  readonly kind: string
  /** The table of `[auth.email]` that it belongs to. */
  readonly section: 'template' | 'notification'
  readonly own: OwnTemplate
  /** What is sent now: the default text where the project has none. */
  readonly current: TemplateText
  /** The fields that a text may name, each with the value of a sample. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** The templates of the mails that Auth sends. */
export type MailTemplates = {
  /** Whether the project's hook sends the mails, so that no template is used. */
  readonly isHooked: boolean
  list(): readonly DescribedTemplate[]
  /** Fills a text with the values of a sample.
   *  @throws {ServiceError} 422 when it cannot be read; 404 when no mail has this name. */
  render(kind: string, text: TemplateText): { readonly subject: string; readonly html: string }
  /** Sends the mail as it is now, filled with the values of a sample.
   *  @throws {ServiceError} */
  sendSample(kind: string, to: string): Promise<void>
  /** Uses another template from the next mail on. */
  set(kind: string, own: OwnTemplate): void
}

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
