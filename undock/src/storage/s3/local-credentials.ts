import type { Credentials } from './signer.ts'

/** The S3 keys of `supabase start`, the same on every machine, which act as the service role. */
export const LOCAL_CREDENTIALS: Credentials = {
  accessKey: '625729a08b95bf1b7ff351a663f3a23c',
  secretKey: '850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907',
  region: 'local',
}

/** The access key for signing with the project's anon key and a user's token. */
export const SESSION_ACCESS_KEY = 'stub'
