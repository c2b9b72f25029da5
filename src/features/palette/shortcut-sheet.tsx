import { Dialog } from '../../components/dialog.tsx'
import { msg, t } from '../../lib/i18n/i18n.ts'
import { shortcutLabel } from '../../lib/ui/shortcut.ts'

const SHEET: readonly (readonly [group: string, shortcuts: readonly (readonly [keys: string, does: string])[]])[] = [
  [
    msg('Everywhere'),
    [
      ['mod+k', msg('Go to a library, a document or an action')],
      ['g i', msg('Open the inbox')],
      ['g l', msg('My libraries')],
      ['?', msg('Show this list')],
      ['Escape', msg('Close the open panel')],
    ],
  ],
  [
    msg('In a library'),
    [
      ['g s', msg('Search its passages')],
      ['g n', msg('Write a note')],
      ['u', msg('Add files')],
      ['l', msg('Add a link')],
      ['s', msg('Star or unstar the document')],
      ['x', msg('Select the focused document')],
      ['mod+a', msg('Select all shown')],
    ],
  ],
  [
    msg('In the inbox'),
    [
      ['j', msg('Next entry')],
      ['k', msg('Previous entry')],
      ['e', msg('Mark as read')],
    ],
  ],
  [
    msg('In search results and in a document'),
    [
      ['Enter', msg('Move from the search field to the results')],
      ['/', msg('Back to the search field')],
      ['j', msg('Next passage')],
      ['k', msg('Previous passage')],
      ['Enter', msg('Open the passage')],
      ['a', msg('Read this document aloud, pause, continue')],
      ['o', msg('Contents of this document')],
      ['mod+f', msg('Find in this PDF')],
      ['→', msg('Next page of this PDF')],
      ['←', msg('Previous page of this PDF')],
      ['+', msg('Enlarge this PDF')],
      ['-', msg('Reduce this PDF')],
      ['d', msg('Two pages of this PDF side by side')],
      ['e', msg('Edit this note')],
      ['mod+s', msg('Save this note')],
      ['n', msg('Next change, of two documents that are compared')],
      ['p', msg('Previous change')],
    ],
  ],
]

export function ShortcutSheet({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('Keyboard shortcuts')}>
      <div className="grid gap-6">
        {SHEET.map(([group, shortcuts]) => (
          <section key={group}>
            <h3 className="eyebrow mb-2">{t(group)}</h3>
            <dl className="grid gap-2">
              {shortcuts.map(([keys, does]) => (
                <div key={does} className="flex items-center justify-between gap-4 text-sm">
                  <dt className="text-ink-soft">{t(does)}</dt>
                  <dd>
                    <kbd className="rounded border border-line bg-sunken px-2 py-0.5 font-sans text-xs">
                      {shortcutLabel(keys)}
                    </kbd>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
