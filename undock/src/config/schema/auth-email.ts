import { count, duration, flag, named, optionalTable, optionalText, port, table, text } from './fields.ts'

const template = {
  subject: optionalText(),
  /** What `content_path` holds; config.toml itself may not set it. */
  content: optionalText(),
  content_path: text(),
}

export const EmailSection = table({
  enable_signup: flag(true),
  double_confirm_changes: flag(true),
  enable_confirmations: flag(false),
  secure_password_change: flag(false),
  /** A password changes only with the one before it, unless a one-time code signed in. */
  require_current_password: flag(false),
  max_frequency: duration(1),
  otp_length: count(6),
  otp_expiry: count(3600),
  template: named(template),
  notification: named({ enabled: flag(false), ...template }),
  smtp: optionalTable({
    // A table that is there at all is meant: the CLI enables it unless it says otherwise.
    enabled: flag(true),
    host: text(),
    port: port(0),
    user: text(),
    pass: text(),
    admin_email: text(),
    sender_name: text(),
  }),
})
