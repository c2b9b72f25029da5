import { t } from '../../../lib/i18n/i18n.ts'

/** Suggested templates in the current language. They become a library's when used. */
export function suggestedTemplates(): { id: string; title: string; body: string }[] {
  const [date, author] = ['{{date}}', '{{author}}']
  const written = t('Written on {date} by {author}', { date, author })
  return [
    {
      id: 'meeting',
      title: t('Meeting'),
      body: sections(written, [
        [t('Present'), '- '],
        [t('Agenda'), '1. '],
        [t('Discussion'), ''],
        [t('Decisions'), '- '],
        [t('Action items'), '- [ ] '],
      ]),
    },
    {
      id: 'decision',
      title: t('Decision'),
      body: sections(written, [
        [t('Situation'), ''],
        [t('Possible choices'), '1. '],
        [t('Decisions made'), ''],
        [t('Why'), ''],
        [t('Consequences'), '- '],
      ]),
    },
    {
      id: 'reading-notes',
      title: t('Reading notes'),
      body: sections(written, [
        [t('Source'), ''],
        [t('In short'), ''],
        [t('Quotes'), '> '],
        [t('My thoughts'), ''],
        [t('Open questions'), '- [ ] '],
      ]),
    },
  ]
}

const sections = (lead: string, parts: readonly (readonly [heading: string, text: string])[]): string =>
  `${[lead, ...parts.map(([heading, text]) => (text ? `## ${heading}\n\n${text}` : `## ${heading}`))].join('\n\n')}\n`
