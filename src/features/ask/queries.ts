import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { Answer } from './answer.ts'

export const conversationsQuery = (library: string) =>
  queryOptions({
    queryKey: keys.conversations(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('conversations')
        .select('id, title, updated_at')
        .eq('library_id', library)
        .order('updated_at', { ascending: false })
        .limit(100)
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

export const questionsQuery = (library: string, conversation: string) =>
  queryOptions({
    queryKey: [...keys.conversations(library), conversation],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('questions')
        .select('id, question, answer, created_at')
        .eq('conversation_id', conversation)
        .order('created_at')
        .abortSignal(signal)
        .throwOnError()
      return data.map((row) => ({ ...row, answer: Answer.parse(row.answer) }))
    },
  })
