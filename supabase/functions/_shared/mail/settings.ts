export type Mail = {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly messageId?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type MailSettings = {
  /** smtp://user:password@host:port, or smtps:// for TLS from the first byte (port 465, which hosted functions may
   *  reach). */
  readonly server: string
  /** The sender as mails name it: Carrel <library@example.org>. */
  readonly from: string
  /** The address of the app: the links in mails are below it, whoever caused the mail. */
  readonly site: string
}

/** Null when the settings name no mail server; no mail is sent then. */
export function mailSettings(get: (name: string) => string | undefined): MailSettings | null {
  const [server, from, site] = [get('MAIL_SERVER'), get('MAIL_FROM'), get('SITE_URL')]
  return server && from && site ? { server, from, site: site.replace(/\/+$/, '') } : null
}
