/** Texts in the syntax of Go's html/template. */
export type TemplateText = { readonly subject: string; readonly content: string }

/** A project's own template: its subject in config.toml, its content in a file. Null if omitted. */
export type OwnTemplate = {
  readonly subject: string | null
  readonly contentPath: string | null
  /** Whether a notification is sent; other mails always are. */
  readonly isEnabled: boolean
}

export type DescribedTemplate = {
  /** The name in config.toml, such as `magic_link`. */
  readonly kind: string
  readonly section: 'template' | 'notification'
  readonly own: OwnTemplate
  /** The template in use: the project's or the default. */
  readonly current: TemplateText
  readonly fields: Readonly<Record<string, unknown>>
}

export type MailTemplates = {
  /** Whether the project's hook sends the mails instead of using templates. */
  readonly isHooked: boolean
  list(): readonly DescribedTemplate[]
  /** Renders a text with sample values. @throws {ServiceError} 422 if invalid; 404 for an unknown mail. */
  render(kind: string, text: TemplateText): { readonly subject: string; readonly html: string }
  /** Sends the current mail with sample values. @throws {ServiceError} */
  sendSample(kind: string, to: string): Promise<void>
  set(kind: string, own: OwnTemplate): void
}

export type Mail = {
  /** `Name <address>` or only an address. */
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly html: string
  readonly text?: string
}

/** Accepts services' mail: the inbox, or an SMTP server if configured. `send` resolves once the mail is accepted. */
export type Mailer = { send(mail: Mail): Promise<void> }
