import { Command } from 'cmdk'
import type { LucideIcon } from 'lucide-react'
import { t } from '../../lib/i18n/i18n.ts'

type DocumentChoiceProps = {
  words: string
  onWords: (words: string) => void
  documents: readonly { id: string; title: string; kind: string; icon: LucideIcon }[]
  onChoose: (id: string) => void
}

export function DocumentChoice({ words, onWords, documents, onChoose }: DocumentChoiceProps) {
  return (
    <Command
      label={t('The other document')}
      shouldFilter={false}
      loop
      className="max-w-xl overflow-hidden rounded-xl border border-line bg-surface"
    >
      <Command.Input
        autoFocus
        value={words}
        onValueChange={onWords}
        maxLength={300}
        placeholder={t('Words from its title…')}
        className="h-12 w-full border-line border-b bg-transparent px-4 outline-none placeholder:text-ink-faint"
      />
      <Command.List label={t('Documents')} className="max-h-[50dvh] overflow-y-auto p-2">
        <Command.Empty className="px-3 py-6 text-center text-ink-soft text-sm">{t('No matches.')}</Command.Empty>
        {documents.map(({ id, title, kind, icon: Icon }) => (
          <Command.Item
            key={id}
            value={id}
            onSelect={() => onChoose(id)}
            className="flex min-h-10 cursor-pointer items-center gap-3 rounded-md px-3 text-sm data-[selected=true]:bg-hover"
          >
            <Icon aria-hidden className="size-4 text-ink-faint" />
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {title}
            </span>
            <span className="text-ink-faint text-xs">{kind}</span>
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  )
}
