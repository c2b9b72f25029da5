import { mutationOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { supabase } from '../../lib/supabase.ts'

const Created = z.object({ id: z.guid(), token: z.string(), expires_at: z.nullable(z.string()) })

const DAY_MS = 86_400_000

/** @param days How long it lasts; 0 until it is revoked. @returns with the token, which is not kept anywhere. */
export const createShareLink = mutationOptions({
  mutationFn: async ({ document, days }: { document: string; days: number }) => {
    const expires_at = days > 0 ? new Date(Date.now() + days * DAY_MS).toISOString() : undefined
    const { data } = await supabase
      .rpc('create_share_link', expires_at ? { document, expires_at } : { document })
      .throwOnError()
    return z.parse(Created, data)
  },
})

export const revokeShareLink = mutationOptions({
  mutationFn: async (link: string) => {
    await supabase.from('share_links').update({ revoked_at: new Date().toISOString() }).eq('id', link).throwOnError()
  },
})
