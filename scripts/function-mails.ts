/** Returns the environment variables for mails of the functions, invitations and mentions, which replace
 *  `[edge_runtime.secrets]` of config.toml. `functions/.env` overrides them.
 *  @param server The value of MAIL_SERVER. @param site The value of SITE_URL for the functions. */
export const functionMails = (server: string, site: string) => ({
  SUPABASE_EDGE_RUNTIME_SECRETS_MAIL_SERVER: server,
  SUPABASE_EDGE_RUNTIME_SECRETS_MAIL_FROM: 'Carrel <carrel@carrel.local>',
  SUPABASE_EDGE_RUNTIME_SECRETS_SITE_URL: site,
})

/** Sends these mails to the local backend's inbox, like those of the auth service, unless the environment says
 *  otherwise.
 *  @param site The app's address.
 *  @param inboxPort A free port for the inbox's SMTP server. */
export const mailsToInbox = (site: string, inboxPort: number): NodeJS.ProcessEnv => ({
  SUPABASE_LOCAL_SMTP_SMTP_PORT: String(inboxPort),
  ...functionMails(`smtp://127.0.0.1:${inboxPort}`, site),
  ...process.env,
})
