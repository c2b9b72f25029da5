import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { useInsertMutation, useQuery, useSubscription } from '@supabase-cache-helpers/postgrest-react-query'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'

type Book = { id: number; title: string; year: number }
type Database = {
  public: {
    Tables: { books: { Row: Book; Insert: Book; Update: Partial<Book>; Relationships: [] } }
    Views: Record<never, never>
    Functions: Record<never, never>
  }
}

/** Shows the books of the 19th century, and another book as it changes. */
export function show(url: string, key: string): void {
  const client = createClient<Database>(url, key, { auth: { persistSession: false } })
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } } })
  createRoot(document.body).render(
    <QueryClientProvider client={cache}>
      <OldBooks client={client} />
      <OneBook client={client} />
    </QueryClientProvider>,
  )
}

function OldBooks({ client }: { client: SupabaseClient<Database> }) {
  const list = useQuery(client.from('books').select('id, title', { count: 'exact' }).lt('year', 1900).order('title'))
  const insert = useInsertMutation(client.from('books'), ['id'], 'id, title, year')
  const books = [
    { id: 3, title: 'Dracula', year: 1897 },
    { id: 4, title: 'Dubliners', year: 1914 },
  ]
  return (
    <>
      <ol>
        {list.data?.map(({ id, title }) => (
          <li key={id}>{title}</li>
        ))}
      </ol>
      <output>{list.count}</output>
      <button type="button" onClick={() => insert.mutate(books)}>
        Insert
      </button>
    </>
  )
}

function OneBook({ client }: { client: SupabaseClient<Database> }) {
  const { data } = useQuery(client.from('books').select('id, title').eq('id', 2).single())
  const { error } = useQuery(client.from('books').select('id').eq('title', 'none').single())
  const { status } = useSubscription(client, 'books', { event: '*', table: 'books', schema: 'public' }, ['id'])
  return (
    <>
      <h1>{data?.title}</h1>
      <em>{status}</em>
      <mark>{error?.code}</mark>
    </>
  )
}
