import * as z from 'zod/mini'
import { DAY_MS } from '../../domain/day-range.ts'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'

const Created = z.object({ id: z.guid(), token: z.string(), expires_at: z.nullable(z.string()) })

/** @param days Lifetime; 0 until it is revoked. @returns the link with its token, which isn't stored. */
export const createShareLink = defineMutation({
  mutationFn: async ({ document, days }: { library: string; document: string; days: number }) => {
    const expires_at = days > 0 ? new Date(Date.now() + days * DAY_MS).toISOString() : undefined
    const { data } = await supabase
      .rpc('create_share_link', expires_at ? { document, expires_at } : { document })
      .throwOnError()
    return z.parse(Created, data)
  },
  invalidates: ({ library, document }) => [keys.document(library, document)],
})

/** Ends a link; its token never works again. */
export const revokeShareLink = defineMutation({
  mutationFn: ({ link }: { library: string; document: string; link: string }) =>
    supabase.from('share_links').update({ revoked_at: new Date().toISOString() }).eq('id', link).throwOnError(),
  invalidates: ({ library, document }) => [keys.document(library, document)],
})
