import { useQuery, useQueryClient } from '@tanstack/react-query'
import { LayoutTemplate } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { Menu, MenuItem } from '../../../components/menu.tsx'
import { showFailure } from '../../../domain/failure-toast.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { templateQuery, templatesQuery } from './queries.ts'
import { suggestedTemplates } from './suggestions.ts'

type Template = { title: string; body: string }

export function TemplatePicker({ library, onChoose }: { library: string; onChoose: (template: Template) => void }) {
  const queryClient = useQueryClient()
  const { data: templates } = useQuery(templatesQuery(library))
  if (!templates) return null
  const titles = new Set(templates.map(({ title }) => title))
  const suggestions = suggestedTemplates().filter(({ title }) => !titles.has(title))
  const choose = async (id: string) => {
    try {
      onChoose(await queryClient.fetchQuery(templateQuery(library, id)))
    } catch (error) {
      showFailure(error)
    }
  }
  return (
    <div>
      <Menu
        trigger={
          <Button icon={LayoutTemplate} look="quiet" size="small" className="-ms-2">
            {t('Start from a template')}
          </Button>
        }
      >
        {templates.map(({ id, title }) => (
          <MenuItem key={id} onSelect={() => void choose(id)}>
            <bdi>{title}</bdi>
          </MenuItem>
        ))}
        {suggestions.map((suggestion) => (
          <MenuItem key={suggestion.id} onSelect={() => onChoose(suggestion)}>
            {t('{title} (suggestion)', { title: suggestion.title })}
          </MenuItem>
        ))}
      </Menu>
    </div>
  )
}
