import { createApp } from './app.ts'

Deno.serve(createApp(`${Deno.env.get('SUPABASE_URL')}/functions/v1/api/v1`).fetch)
