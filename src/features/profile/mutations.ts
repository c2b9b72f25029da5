import { mutationOptions } from '@tanstack/react-query'
import { written } from '../../lib/outbox.ts'
import { supabase } from '../../lib/supabase.ts'

export const saveName = mutationOptions({
  mutationKey: written('save-name'),
  mutationFn: async ({ person, name }: { person: string; name: string }) => {
    await supabase.from('profiles').update({ display_name: name }).eq('id', person).throwOnError()
  },
})

export const setMentionsByMail = mutationOptions({
  mutationFn: async ({ person, wanted }: { person: string; wanted: boolean }) => {
    await supabase.from('profiles').update({ mentions_by_mail: wanted }).eq('id', person).throwOnError()
  },
})

type Picture = { person: string; file: File; before: string | null }

/** Puts a new picture in place of the old one. A new name each time: browsers keep what lies at a public address. */
export const savePicture = mutationOptions({
  mutationFn: async ({ person, file, before }: Picture) => {
    const path = `${person}/${crypto.randomUUID()}`
    const { error } = await supabase.storage.from('avatars').upload(path, file, { contentType: file.type })
    if (error) throw error
    await supabase.from('profiles').update({ avatar_path: path }).eq('id', person).throwOnError()
    // The new picture stands; an old one that could not be taken away does no harm.
    if (before) await supabase.storage.from('avatars').remove([before])
  },
})

export const removePicture = mutationOptions({
  mutationFn: async ({ person, before }: Omit<Picture, 'file'>) => {
    await supabase.from('profiles').update({ avatar_path: null }).eq('id', person).throwOnError()
    if (before) await supabase.storage.from('avatars').remove([before])
  },
})
