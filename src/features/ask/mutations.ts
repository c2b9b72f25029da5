import { mutationOptions } from '@tanstack/react-query'
import { t } from '../../lib/i18n.ts'
import { explainInvocation } from '../../lib/invoke.ts'
import { supabase } from '../../lib/supabase.ts'
import { Told } from './answer.ts'
import { eventsOf } from './events.ts'

type Question = {
  library: string
  question: string
  conversation: string | undefined
  signal: AbortSignal
  onTold: (told: Exclude<Told, { type: 'error' }>) => void
}
type Done = Extract<Told, { type: 'done' }>

/** Asks a library, and tells of the answer as it comes.
 *  @returns how it ended. */
export const askLibrary = mutationOptions({
  mutationFn: async ({ library, question, conversation, signal, onTold }: Question): Promise<Done> => {
    const { data, error } = await supabase.functions.invoke('ask', {
      body: { library_id: library, question, ...(conversation ? { conversation_id: conversation } : {}) },
      signal,
    })
    if (error) throw await explainInvocation(error)
    // The client hands over a stream of events as the response itself.
    if (!(data instanceof Response) || !data.body)
      throw new Error(t('The answer came in a form that is not known here.'))
    for await (const event of eventsOf(data.body)) {
      const told = Told.safeParse(event)
      if (!told.success) continue
      if (told.data.type === 'error') throw new Error(told.data.message)
      onTold(told.data)
      if (told.data.type === 'done') return told.data
    }
    throw new Error(t('The answer broke off. Ask again.'))
  },
})

export const deleteConversation = mutationOptions({
  mutationFn: async (conversation: string) => {
    await supabase.from('conversations').delete().eq('id', conversation).throwOnError()
  },
})
