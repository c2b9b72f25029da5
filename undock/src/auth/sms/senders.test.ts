import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { type ReceivedRequest, startExternalServices } from '../../testing/external-services.ts'
import { senderOf } from './sender.ts'

let externalServices: Awaited<ReturnType<typeof startExternalServices>>
let answer: { status?: number; body: unknown } = { body: {} }
beforeAll(async () => {
  externalServices = await startExternalServices(() => answer)
})
afterAll(() => externalServices.close())

const SETTINGS = {
  twilio: 'account_sid = "AC1"\nmessage_service_sid = "MG1"\nauth_token = "t:1"',
  twilio_verify: 'account_sid = "AC1"\nmessage_service_sid = "VA1"\nauth_token = "t"',
  messagebird: 'originator = "Test"\naccess_key = "key"',
  textlocal: 'sender = "Test"\napi_key = "key"',
  vonage: 'from = "Test"\napi_key = "key"\napi_secret = "secret"',
} as const

function sender(name: keyof typeof SETTINGS, more = '') {
  const toml = `[auth.sms.${name}]\nenabled = true\n${SETTINGS[name]}\n${more}`
  const { config } = loadConfig({ toml, file: 'config.toml', env: {}, folder: '/nowhere/supabase' })
  const made = senderOf({ config: config.auth, fetch: externalServices.fetch })
  if (!made) throw new Error('no sender')
  return made
}

const SMS = { phone: '4915112345', message: 'Your code is 123', code: '123', channel: 'sms' } as const
const told = (one: ReceivedRequest | undefined) => ({
  url: one?.url.href,
  authorization: one?.authorization,
  form: one?.form,
})

test.each([
  [
    'twilio',
    { sid: 'SM1', status: 'queued', error_code: null },
    'SM1',
    {
      url: 'https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json',
      authorization: `Basic ${btoa('AC1:t:1')}`,
      form: { To: '+4915112345', Channel: 'sms', From: 'MG1', Body: 'Your code is 123' },
    },
  ],
  [
    'twilio_verify',
    { sid: 'VE1' },
    'VE1',
    {
      url: 'https://verify.twilio.com/v2/Services/VA1/Verifications',
      authorization: `Basic ${btoa('AC1:t')}`,
      form: { To: '+4915112345', Channel: 'sms' },
    },
  ],
  [
    'messagebird',
    { id: 'mb1', recipients: { totalSentCount: 1 } },
    'mb1',
    {
      url: 'https://rest.messagebird.com/messages',
      authorization: 'AccessKey key',
      form: {
        originator: 'Test',
        body: 'Your code is 123',
        recipients: '4915112345',
        type: 'sms',
        datacoding: 'unicode',
      },
    },
  ],
  [
    'textlocal',
    { status: 'success', messages: [{ id: 7 }] },
    '7',
    {
      url: 'https://api.textlocal.in/send',
      authorization: '',
      form: { sender: 'Test', apikey: 'key', message: 'Your code is 123', numbers: '4915112345' },
    },
  ],
  [
    'vonage',
    { messages: [{ 'message-id': 'v1', status: '0' }] },
    'v1',
    {
      url: 'https://rest.nexmo.com/sms/json',
      authorization: '',
      form: { from: 'Test', to: '4915112345', text: 'Your code is 123', api_key: 'key', api_secret: 'secret' },
    },
  ],
] as const)('calls the API of %s', async (name, body, id, expected) => {
  answer = { status: name.startsWith('twilio') ? 201 : 200, body }
  expect(await sender(name).send(SMS)).toBe(id)
  expect(told(externalServices.requests.at(-1))).toEqual(expected)
})

test('twilio sends the code as a WhatsApp template variable', async () => {
  answer = { status: 201, body: { sid: 'SM1' } }
  await sender('twilio', 'content_sid = "HX1"').send({ ...SMS, channel: 'whatsapp' })
  expect(externalServices.requests.at(-1)?.form).toEqual({
    To: 'whatsapp:+4915112345',
    Channel: 'whatsapp',
    From: 'MG1',
    ContentSID: 'HX1',
    ContentVariables: '{"1":"123"}',
  })
})

test.each([
  [
    'twilio',
    400,
    { message: 'Invalid To.', more_info: 'https://t/21211' },
    'Invalid To. More information: https://t/21211',
  ],
  [
    'twilio',
    201,
    { sid: 'SM1', status: 'failed', error_code: 30003, error_message: 'Unreachable' },
    'twilio error: Unreachable 30003 for message SM1',
  ],
  [
    'messagebird',
    422,
    { errors: [{ code: 9, description: 'no (correct) recipients found' }] },
    'no (correct) recipients found',
  ],
  ['messagebird', 200, { id: 'x', recipients: { totalSentCount: 0 } }, 'messagebird error: total sent count is 0'],
  [
    'textlocal',
    200,
    { status: 'failure', errors: [{ code: 80, message: 'Invalid template' }] },
    'textlocal error: Invalid template (code: 80) template message: Your code is 123',
  ],
  [
    'vonage',
    200,
    { messages: [{ 'message-id': 'v1', status: '4', 'error-text': 'Bad Credentials' }] },
    'vonage error: Bad Credentials (status: 4) for message v1',
  ],
  ['vonage', 200, { messages: [] }, 'vonage error: Internal Error'],
] as const)('%s returns an error (%s)', async (name, status, body, message) => {
  answer = { status, body }
  await expect(sender(name).send(SMS)).rejects.toThrow(message)
})

test('twilio supports WhatsApp, and vonage marks Unicode messages', async () => {
  answer = { status: 201, body: { sid: 'SM1' } }
  await sender('twilio').send({ ...SMS, channel: 'whatsapp' })
  expect(externalServices.requests.at(-1)?.form).toMatchObject({
    To: 'whatsapp:+4915112345',
    Channel: 'whatsapp',
    From: 'MG1',
  })
  answer = { body: { messages: [{ 'message-id': 'v1', status: '0' }] } }
  await sender('vonage').send({ ...SMS, message: 'Ihr Schlüssel' })
  expect(externalServices.requests.at(-1)?.form).toMatchObject({ type: 'unicode' })
})

test.each([
  [200, { status: 'approved', valid: true }, true],
  [200, { status: 'pending', valid: false }, false],
  [404, { message: 'not found' }, false],
])('twilio_verify checks a code (%s %j)', async (status, body, expected) => {
  answer = { status, body }
  expect(await sender('twilio_verify').verify?.('4915112345', '123456')).toBe(expected)
  expect(told(externalServices.requests.at(-1))).toMatchObject({
    url: 'https://verify.twilio.com/v2/Services/VA1/VerificationCheck',
    form: { To: '+4915112345', Code: '123456' },
  })
})
