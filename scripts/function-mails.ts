/** The environment variables with which a backend's functions send mail, invitations and mentions: they replace
 *  `[edge_runtime.secrets]` of config.toml. `functions/.env` still overrides them.
 *  @param server The value of MAIL_SERVER. @param site The value of SITE_URL in the functions' settings. */
export const functionMails = (server: string, site: string) => ({
  SUPABASE_EDGE_RUNTIME_SECRETS_MAIL_SERVER: server,
  SUPABASE_EDGE_RUNTIME_SECRETS_MAIL_FROM: 'Carrel <carrel@carrel.local>',
  SUPABASE_EDGE_RUNTIME_SECRETS_SITE_URL: site,
})

/** On this machine these mails go to the backend's own inbox, like those of the auth service, unless the environment
 *  says otherwise.
 *  @param site The address where the app is served.
 *  @param inboxPort A free port, on which the inbox takes mail over SMTP. */
export const mailsToInbox = (site: string, inboxPort: number): NodeJS.ProcessEnv => ({
  SUPABASE_LOCAL_SMTP_SMTP_PORT: String(inboxPort),
  ...functionMails(`smtp://127.0.0.1:${inboxPort}`, site),
  ...process.env,
})
