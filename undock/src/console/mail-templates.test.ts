import { readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { makeProject, type TestProject } from '../../tests/support/project.ts'
import type { DescribedTemplate, OwnTemplate } from '../kernel/mail-templates.ts'
import { openConfigFile } from './config-file.ts'
import { createTemplateEditor } from './mail-templates.ts'

const DEFAULT: OwnTemplate = { subject: null, contentPath: null, isEnabled: false }
let project: TestProject

beforeEach(async () => {
  project = await makeProject({ 'config.toml': 'project_id = "a" # mine\n' })
  onTestFinished(() => project.remove())
})

/** An editor for a project with one given notification. */
function createEditor(own: OwnTemplate = DEFAULT) {
  const template: DescribedTemplate = {
    kind: 'password_changed',
    section: 'notification',
    own,
    current: { subject: 'Changed', content: '<p>Changed</p>' },
    fields: {},
  }
  const set: OwnTemplate[] = []
  const templates = {
    isHooked: false,
    list: () => [template],
    render: () => ({ subject: '', html: '' }),
    sendSample: async () => undefined,
    set: (_kind: string, next: OwnTemplate) => void set.push(next),
  }
  return {
    set,
    ...createTemplateEditor(templates, openConfigFile(`${project.folder}/supabase`), `${project.folder}/supabase`),
  }
}
const change = { kind: 'password_changed', subject: 'Changed', content: '<p>Changed</p>', isEnabled: false }

test('writes only what differs from the default', async () => {
  const { write, set } = createEditor()
  expect(await write(change)).toEqual([])
  const before = 'project_id = "a" # mine\n'
  const after = `${before}\n[auth.email.notification.password_changed]\nenabled = true\n`
  expect(await write({ ...change, isEnabled: true })).toEqual([{ path: 'supabase/config.toml', before, after }])
  expect(set.at(-1)).toEqual({ ...DEFAULT, isEnabled: true })
  expect(await write({ ...change, content: 'New' })).toMatchObject([
    { path: 'supabase/templates/password_changed.html', before: null, after: 'New' },
    {
      path: 'supabase/config.toml',
      after: expect.stringContaining('content_path = "./templates/password_changed.html"'),
    },
  ])
})

test('rejects files outside the project and config entries it can’t edit, with what to do', async () => {
  const outside = createEditor({ ...DEFAULT, contentPath: '/etc/mail.html' })
  await expect(outside.changes({ ...change, content: 'New' })).rejects.toThrow("outside of the project's folder")
  await project.write('config.toml', '[auth.email]\nnotification = { password_changed = { enabled = false } }\n')
  await expect(createEditor().changes({ ...change, isEnabled: true })).rejects.toThrow(
    'Set enabled = true in [auth.email.notification.password_changed] yourself',
  )
})

test("the diff hides secrets of config.toml, and links out of the project aren't followed", async () => {
  await project.write('config.toml', '[auth.email.smtp]\npass = "hunter2"\n')
  const changes = await createEditor().changes({ ...change, isEnabled: true })
  expect(JSON.stringify(changes)).not.toContain('hunter2')

  const elsewhere = await makeProject({})
  onTestFinished(() => elsewhere.remove())
  await symlink(elsewhere.folder, join(project.folder, 'supabase', 'templates'))
  await expect(createEditor().write({ ...change, content: 'New' })).rejects.toThrow("outside of the project's folder")
  expect(await readdir(elsewhere.folder)).not.toContain('password_changed.html')
})
