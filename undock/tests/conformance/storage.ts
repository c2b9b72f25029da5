import { LOCAL_CREDENTIALS } from '../../src/storage/s3/authenticate.ts'
import { makeProject } from '../support/project.ts'
import { runJavascript } from './javascript.ts'
import type { Suite } from './suite.ts'
import { startTarget } from './target.ts'

/** The plain PostgreSQL of nodes lacks pgvector. */
const config = (hasVectors: boolean): string => `
project_id = "conformance"
[edge_runtime]
enabled = false
[storage.image_transformation]
enabled = true
[storage.vector]
enabled = ${hasVectors}
max_buckets = 100
`

/** Needed by the row-level security specs: a bucket whose folder `authenticated` is for users with a session. */
const RLS_BUCKET = `
  insert into storage.buckets (id, name) values ('acceptance-rls', 'acceptance-rls');
  create policy "users have a folder" on storage.objects for all to authenticated
    using (bucket_id = 'acceptance-rls' and (storage.foldername(name))[1] = 'authenticated');`

/** storage's acceptance specs, which only know their target's URL. */
export const storage: Suite = {
  upstream: { repository: 'supabase/storage', tag: 'v1.70.6', packages: '.' },
  onNodes: true,
  run: async (folder, options) => {
    const hasVectors = options.nodes === null
    const project = await makeProject({
      'config.toml': config(hasVectors),
      'migrations/20260101000000_rls.sql': RLS_BUCKET,
    })
    const stack = await startTarget({ workdir: project.folder }, options)
    try {
      const { session } = await stack.createUser()
      return await runJavascript({
        folder,
        runner: 'vitest',
        args: ['--config', 'acceptance/acceptance.vitest.config.ts', ...(options.only ? [options.only] : [])],
        env: {
          ACCEPTANCE_PROFILE: 'full',
          ACCEPTANCE_BASE_URL: `${stack.url}/storage/v1`,
          ACCEPTANCE_S3_ENDPOINT: `${stack.url}/storage/v1/s3`,
          ACCEPTANCE_TUS_ENDPOINT: `${stack.url}/storage/v1/upload/resumable`,
          ACCEPTANCE_REGION: LOCAL_CREDENTIALS.region,
          ACCEPTANCE_S3_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKey,
          ACCEPTANCE_S3_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretKey,
          ACCEPTANCE_S3_FORCE_PATH_STYLE: 'true',
          ACCEPTANCE_ANON_KEY: stack.keys.anon,
          ACCEPTANCE_AUTHENTICATED_KEY: session.access_token,
          ACCEPTANCE_SERVICE_KEY: stack.keys.serviceRole,
          ACCEPTANCE_ENABLE_RENDER: 'true',
          ACCEPTANCE_ENABLE_RLS_SETUP: 'true',
          ACCEPTANCE_ENABLE_TUS: 'true',
          ACCEPTANCE_RLS_BUCKET: 'acceptance-rls',
          ACCEPTANCE_ENABLE_VECTOR: String(hasVectors),
          ACCEPTANCE_ENABLE_WIRE: 'true',
          ACCEPTANCE_ENABLE_CDN: 'true',
        },
      })
    } finally {
      await stack.stop()
      await project.remove()
    }
  },
}
