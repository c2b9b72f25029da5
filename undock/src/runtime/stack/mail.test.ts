import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { systemClock } from '../../kernel/service.ts'
import { startMail } from '../../mail/index.ts'
import { mailerOf } from './mail.ts'

const log = { info() {}, warn() {}, error() {} }

test.each([
  ['', { Name: 'Admin', Address: 'admin@email.com' }],
  [
    '[local_smtp]\nsender_name = "Shop, \\"the\\" one"\nadmin_email = "hello@shop.example"',
    { Name: 'Shop, "the" one', Address: 'hello@shop.example' },
  ],
])("Auth's emails reach the inbox from the sender in `[local_smtp]`: %j", async (toml, sender) => {
  const { config } = loadConfig({ toml: `project_id = "test"\n${toml}`, file: 'config.toml', env: {}, folder: '/' })
  const inbox = await startMail({
    host: '127.0.0.1',
    claimPort: (port, _what, take) => take(port),
    httpPort: 0,
    smtpPort: null,
    clock: systemClock,
    log,
    folder: null,
  })
  onTestFinished(() => inbox.close())
  await mailerOf(config, inbox).send({
    from: '"Auth" <auth@x.example>',
    to: 'jo@example.com',
    subject: 'Hello',
    html: '',
  })
  const { messages } = await (await fetch(`${inbox.url}/api/v1/messages`)).json()
  expect(messages).toMatchObject([{ From: sender, Subject: 'Hello' }])
})
