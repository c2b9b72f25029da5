import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Mail } from '../../kernel/mail-templates.ts'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { createMailTemplates } from './template-samples.ts'
import { createTemplateStore } from './template-store.ts'

function createTemplates(email: Partial<AuthConfig['email']> = {}) {
  const config = { site_url: 'http://localhost:3000', hook: {}, email: { template: {}, notification: {}, ...email } }
  const sent: Mail[] = []
  const mailer = { send: async (mail: Mail) => void sent.push(mail) }
  const templates = createTemplateStore(config as unknown as AuthConfig)
  const deps = { config, mailer, templates, externalUrl: 'http://127.0.0.1:54321/auth/v1' } as unknown as AuthDeps
  return { sent, ...createMailTemplates(deps) }
}

test('default texts use only the fields of their email', () => {
  for (const { kind, current, fields } of createTemplates().list()) {
    const named = [...`${current.subject} ${current.content}`.matchAll(/\{\{ \.(\w+)/g)].map(([, name]) => name)
    expect(Object.keys(fields), kind).toEqual(expect.arrayContaining(named))
  }
})

test('reads a file for each email, and uses a new template immediately', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'undock-templates-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'invite.html')
  const { list, set, sendSample, sent } = createTemplates({
    template: { invite: { subject: undefined, content: 'as it was', content_path: path } },
  })
  await sendSample('invite', 'a@example.com')
  await writeFile(path, 'for {{ .Email }}')
  await sendSample('invite', 'a@example.com')
  expect(sent.map(({ html }) => html)).toEqual(['as it was', 'for ada@example.com'])
  expect(sent[1]).toMatchObject({ subject: "You've been invited", to: 'a@example.com' })

  expect(list().find(({ kind }) => kind === 'password_changed')?.own.isEnabled).toBe(false)
  set('password_changed', { subject: 'New', contentPath: path, isEnabled: true })
  expect(list().find(({ kind }) => kind === 'password_changed')).toMatchObject({
    own: { isEnabled: true },
    current: { subject: 'New', content: 'for {{ .Email }}' },
  })
})

test('rejects an invalid template and an unknown email', () => {
  const { render } = createTemplates()
  expect(() => render('invite', { subject: 'x', content: '{{ if }}' })).toThrow('The template cannot be used')
  expect(() => render('nothing', { subject: 'x', content: 'x' })).toThrow('Auth sends no mail "nothing"')
})
