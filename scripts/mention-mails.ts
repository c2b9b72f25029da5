/** The environment in which a backend's functions mail whoever is called in a comment: it takes the place of
 *  `[edge_runtime.secrets]` in config.toml. `functions/.env` still has the last word.
 *  @param server As MAIL_SERVER, @param site as SITE_URL in the functions' settings. */
export const mentionMails = (server: string, site: string) => ({
  SUPABASE_EDGE_RUNTIME_SECRETS_MAIL_SERVER: server,
  SUPABASE_EDGE_RUNTIME_SECRETS_MAIL_FROM: 'Carrel <carrel@carrel.local>',
  SUPABASE_EDGE_RUNTIME_SECRETS_SITE_URL: site,
})

const INBOX_PORT = 54325

/** On this machine these mails lie in the backend's own inbox, beside those of the auth service. Whatever the environment
 *  says otherwise counts.
 *  @param site Where the app is served. */
export const mailsToInbox = (site: string): NodeJS.ProcessEnv => ({
  SUPABASE_LOCAL_SMTP_SMTP_PORT: String(INBOX_PORT),
  ...mentionMails(`smtp://127.0.0.1:${INBOX_PORT}`, site),
  ...process.env,
})
