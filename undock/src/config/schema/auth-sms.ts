import { dictionary, duration, flag, table, text } from './fields.ts'

const twilio = { enabled: flag(false), account_sid: text(), message_service_sid: text(), auth_token: text() }

export const SMS_TEMPLATE = 'Your code is {{ .Code }}'

export const SmsSection = table({
  enable_signup: flag(false),
  enable_confirmations: flag(false),
  template: text(SMS_TEMPLATE),
  max_frequency: duration(5),
  test_otp: dictionary(),
  twilio: table(twilio),
  twilio_verify: table(twilio),
  messagebird: table({ enabled: flag(false), originator: text(), access_key: text() }),
  textlocal: table({ enabled: flag(false), sender: text(), api_key: text() }),
  vonage: table({ enabled: flag(false), from: text(), api_key: text(), api_secret: text() }),
})
