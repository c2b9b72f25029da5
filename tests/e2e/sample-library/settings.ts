import type { Person } from '../fixtures.ts'

/** Adds the sample library's rules, mail address, groups, retention, company, key and webhook. */
export async function fillSettings(
  library: string,
  [ada, mary, grace]: readonly [Person, Person, Person],
): Promise<void> {
  const { client } = ada
  const idOf = async (table: 'collections' | 'tags', name: string): Promise<string> => {
    const { data } = await client.from(table).select('id').match({ library_id: library, name }).single().throwOnError()
    return data.id
  }
  const [reports, manuals, point, minutes, howTo] = await Promise.all([
    idOf('collections', 'Reports'),
    idOf('collections', 'Manuals'),
    idOf('collections', 'Skerry Point'),
    idOf('tags', 'minutes'),
    idOf('tags', 'how to'),
  ])
  const anywhere = { is_on: true, on_added: true, on_moved: false, collection_id: null, includes_inside: true }
  const rules = [
    {
      ...anywhere,
      name: 'Minutes',
      conditions: [{ on: 'title', value: 'meeting' }],
      actions: [
        { do: 'tag', tag: minutes },
        { do: 'tell', people: [mary.id, grace.id] },
      ],
    },
    {
      ...anywhere,
      name: 'Manuals of makers',
      conditions: [
        { on: 'kind', value: 'file' },
        { on: 'text', value: 'maintenance' },
      ],
      actions: [
        { do: 'tag', tag: howTo },
        { do: 'move', collection: manuals },
      ],
    },
  ]
  for (const rule of rules) await client.rpc('save_rule', { library, rule }).throwOnError()
  await client.rpc('create_mail_address', { library, collection: reports }).throwOnError()

  const { data: group } = await client
    .rpc('save_group', {
      library,
      name: 'Lamp engineers',
      description: 'Who may open the lamp room.',
      added: [mary.id, grace.id],
    })
    .throwOnError()
  await client.rpc('grant_collection', { collection: point, role: 'editor', to_group: group.id }).throwOnError()
  await client
    .from('retention_rules')
    .insert(
      [
        { library_id: library, trash_days: 90 },
        { library_id: library, collection_id: reports, trash_after: 10, trash_unit: 'year', keep_years: 5 },
      ],
      { defaultToNull: false },
    )
    .throwOnError()

  await client.rpc('claim_sign_in_domain', { library, domain: 'northernlights.example' }).throwOnError()

  await client
    .rpc('create_api_key', { library, name: 'Catalogue', scopes: ['documents:read', 'search'], days: 365 })
    .throwOnError()
  await client
    .rpc('create_webhook', {
      library,
      url: 'https://hooks.example.org/carrel',
      events: ['document.added', 'comment.added'],
      description: 'The office’s chat',
    })
    .throwOnError()
}
