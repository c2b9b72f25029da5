const OWN = `create policy "own notes" on notes
  for select to authenticated
  using (owner = (select auth.uid()));`

/** Policies to start with. */
export const POLICIES = [
  { label: 'Own', sql: OWN },
  {
    label: 'Own and shared',
    sql: `${OWN}

create policy "shared notes" on notes
  for select to anon, authenticated
  using (shared);`,
  },
  {
    label: 'Write own',
    sql: `${OWN}

create policy "write own notes" on notes
  for insert to authenticated
  with check (owner = (select auth.uid()));`,
  },
  {
    label: 'A leak',
    sql: `create policy "users see notes" on notes
  for select
  using (auth.role() is not null);`,
  },
] as const

export const REQUESTS = [
  { label: 'Read', code: "supabase.from('notes').select('id, owner, title, shared')" },
  {
    label: 'Add',
    code: `supabase.from('notes')
  .insert({ title: 'From this page' })
  .select('id, title')`,
  },
  {
    label: 'Change Grace’s note',
    code: `supabase.from('notes')
  .update({ title: 'Mine now' }).eq('id', 4).select()`,
  },
  { label: 'A mistake', code: "supabase.from('note').select('titel')" },
] as const
