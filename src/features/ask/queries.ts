import { keys } from '../../domain/keys.ts'
import { databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { Answer } from './answer.ts'

export const conversationsQuery = (library: string) =>
  databaseQuery(keys.conversations(library), () =>
    supabase
      .from('conversations')
      .select('id, title, updated_at')
      .eq('library_id', library)
      .order('updated_at', { ascending: false })
      .limit(100),
  )

export const questionsQuery = (library: string, conversation: string) =>
  databaseQuery(
    [...keys.conversations(library), conversation],
    () =>
      supabase
        .from('questions')
        .select('id, question, answer, created_at')
        .eq('conversation_id', conversation)
        .order('created_at'),
    (data) => data.map((row) => ({ ...row, answer: Answer.parse(row.answer) })),
  )
