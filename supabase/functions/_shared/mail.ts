export type Mail = { readonly to: string; readonly subject: string; readonly text: string }

export type MailSettings = {
  /** smtp://user:password@host:port, or smtps:// for TLS from the first byte (port 465, which hosted functions may reach). */
  readonly server: string
  /** As mails name their sender: Carrel <library@example.org>. */
  readonly from: string
  /** Where the app is served: what a mail links to lies below it, whoever asked for the mail. */
  readonly site: string
}

/** Null where the settings name no mail server: then no mail is sent. */
export function mailSettings(get: (name: string) => string | undefined): MailSettings | null {
  const [server, from, site] = [get('MAIL_SERVER'), get('MAIL_FROM'), get('SITE_URL')]
  return server && from && site ? { server, from, site: site.replace(/\/+$/, '') } : null
}
