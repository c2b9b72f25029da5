import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MoreHorizontal, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { SIDE_BUTTON, SIDE_LINK, SIDE_ROW } from '../../components/menu-styles.ts'
import { NameDialog } from '../../components/name-dialog.tsx'
import { useDropTarget } from '../../domain/drag-and-drop.ts'
import { useAction } from '../../domain/failure-toast.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { deleteTag, renameTag, restoreTag } from './mutations.ts'
import { type Tag, tagsQuery } from './queries.ts'

type TagsSectionProps = { library: string; canEdit: boolean; onDocuments: (documents: string[], tag: Tag) => void }

export function TagsSection({ library, canEdit, onDocuments }: TagsSectionProps) {
  const { data: tags = [] } = useQuery(tagsQuery(library))
  const [naming, setNaming] = useState<Tag>()
  const rename = useAction(renameTag)
  const restoration = useAction(restoreTag)
  const deletion = useAction(deleteTag, {
    onSuccess: (removed) =>
      showToast({
        title: t('The tag “{name}” was deleted', { name: removed.itself.name }),
        action: { label: t('Undo'), onClick: () => restoration.mutate({ library, ...removed }) },
      }),
  })
  if (tags.length === 0) return null
  return (
    <section aria-labelledby="tags">
      <h2 id="tags" className="eyebrow mb-1 px-2.5">
        {t('Tags')}
      </h2>
      <ul className="grid grid-cols-1 gap-0.5">
        {tags.map((tag) => (
          <li key={tag.id}>
            <Entry
              library={library}
              tag={tag}
              canEdit={canEdit}
              onDocuments={onDocuments}
              onRename={() => setNaming(tag)}
              onDelete={() => deletion.mutate({ library, tag: tag.id })}
            />
          </li>
        ))}
      </ul>
      {naming ? (
        <NameDialog
          title={t('Rename the tag')}
          label={t('Name')}
          initial={naming.name}
          column="tags.name"
          action={t('Rename')}
          onName={(name) => rename.mutate({ library, tag: naming.id, name })}
          onClose={() => setNaming(undefined)}
        />
      ) : null}
    </section>
  )
}

type EntryProps = TagsSectionProps & { tag: Tag; onRename: () => void; onDelete: () => void }

function Entry({ library, tag, canEdit, onDocuments, onRename, onDelete }: EntryProps) {
  const target = useDropTarget({ documents: canEdit ? (ids) => onDocuments(ids, tag) : undefined })
  return (
    <div className={SIDE_ROW} {...target}>
      <Link to="/l/$library" params={{ library }} search={{ tag: tag.id }} className={SIDE_LINK}>
        <span aria-hidden className="text-ink-faint">
          #
        </span>
        <span dir="auto" className="truncate">
          {tag.name}
        </span>
      </Link>
      {canEdit ? (
        <Menu
          trigger={
            <IconButton
              icon={MoreHorizontal}
              label={t('Actions for the tag {name}', { name: tag.name })}
              className={SIDE_BUTTON}
            />
          }
        >
          <MenuItem icon={Pencil} onSelect={onRename}>
            {t('Rename…')}
          </MenuItem>
          <MenuSeparator />
          <MenuItem icon={Trash2} danger onSelect={onDelete}>
            {t('Delete the tag')}
          </MenuItem>
        </Menu>
      ) : null}
    </div>
  )
}
