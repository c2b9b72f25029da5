// Uppy with its tus plugin in a browser.
import type { Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { type OpenedPage, openPage } from '../support/browser-page.ts'
import { makeProject, type TestProject } from '../support/project.ts'
import type * as ResumableUpload from './pages/resumable-upload.ts'

/** The only part size that hosted projects accept. */
const CHUNK = 6 * 1024 * 1024

let project: TestProject
let stack: TestStack
let opened: OpenedPage
let page: Page
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "uppy"\n[edge_runtime]\nenabled = false\n[storage.buckets.files]\npublic = true\n',
    'migrations/20260101000000_policies.sql': `
      create policy "own folder" on storage.objects for all to authenticated
        using (bucket_id = 'files' and (storage.foldername(name))[1] = auth.uid()::text);`,
  })
  stack = await startStack({ workdir: project.folder })
  opened = await openPage('resumable-upload.ts')
  page = opened.page
})
afterAll(async () => {
  await opened?.close()
  await stack?.stop()
  await project?.remove()
})

declare const app: typeof ResumableUpload

const upload = (token: string, path: string, size: number) =>
  page.evaluate((options) => app.upload(options), { url: stack.url, token, path, size, chunk: CHUNK })

test('uploads a file of three parts with metadata, through pause and resume', async () => {
  const { id, session } = await stack.createUser()
  const size = 2 * CHUNK + 1000
  const path = `${id}/a/file.bin`
  expect(await upload(session.access_token, path, size)).toEqual({ uploaded: 1, errors: [], paused: true })
  const response = await fetch(`${stack.url}/storage/v1/object/public/files/${path}`)
  expect(response.headers.get('content-type')).toBe('application/x-test')
  expect(response.headers.get('cache-control')).toContain('max-age=60')
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(bytes.equals(Buffer.from(new Uint8Array(size).map((_, index) => index % 251)))).toBe(true)
})

test('an upload denied by policies fails with their message', async () => {
  const { session } = await stack.createUser()
  const { uploaded, errors } = await upload(session.access_token, 'elsewhere/file.bin', 1000)
  expect(uploaded).toBe(0)
  expect(errors).toEqual([expect.stringContaining('row-level security')])
})
