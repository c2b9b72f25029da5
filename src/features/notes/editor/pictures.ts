import { type Editor, Extension } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { type EditorState, NodeSelection, Plugin, PluginKey } from '@tiptap/pm/state'
import { Decoration, DecorationSet, type EditorView, type NodeView } from '@tiptap/pm/view'
import { isFormattedText } from '../../../domain/drag-and-drop.ts'
import { PICTURE_TYPES } from '../../../domain/note-pictures.ts'
import { t } from '../../../lib/i18n/i18n.ts'

/** @property store Stores a picture and returns its name in the text.
 *  @property find Returns the address of a note's picture; undefined for others, whose description is shown instead.
 *  @property onError Reports why a picture couldn't be stored. */
export type PictureStore = {
  store: (picture: File) => Promise<string>
  find: (reference: string) => Promise<string | undefined>
  onError: (error: unknown) => void
}

type Waiting = { add: { id: object; pos: number } } | { remove: object }
const waitingKey = new PluginKey<DecorationSet>('waitingPictures')

/** Renders pictures, and stores pasted, dropped and chosen ones, with a placeholder during upload. */
export const pictures = (pictureStore: PictureStore) =>
  Extension.create({
    name: 'pictures',
    addStorage: () => ({
      describe: () => undefined,
      add: (editor: Editor, files: readonly File[]) => addPictures(editor.view, files, pictureStore),
    }),
    addKeyboardShortcuts() {
      return { Enter: describing(this.editor) }
    },
    addProseMirrorPlugins: () => [
      new Plugin({
        key: waitingKey,
        state: {
          init: () => DecorationSet.empty,
          apply: (tr, shown) => {
            const mapped = shown.map(tr.mapping, tr.doc)
            const change = tr.getMeta(waitingKey) as Waiting | undefined
            if (!change) return mapped
            if ('remove' in change)
              return mapped.remove(mapped.find(undefined, undefined, ({ id }) => id === change.remove))
            const { id, pos } = change.add
            return mapped.add(tr.doc, [Decoration.widget(pos, drawWaiting, { id })])
          },
        },
        props: {
          decorations: (state) => waitingKey.getState(state),
          nodeViews: { image: (node) => pictureView(node, pictureStore) },
          handlePaste: (view, { clipboardData }) => {
            const files = clipboardData && isFormattedText(clipboardData) ? [] : picturesOf(clipboardData)
            return addPictures(view, files, pictureStore)
          },
          handleDrop: (view, event, _slice, moved) => {
            const place = view.posAtCoords({ left: event.clientX, top: event.clientY })
            return !moved && addPictures(view, picturesOf(event.dataTransfer), pictureStore, place?.pos)
          },
        },
      }),
    ],
  })

const describing = (editor: Editor) => (): boolean => {
  if (!selectedPicture(editor.state)) return false
  editor.storage.pictures.describe()
  return true
}

export function selectedPicture({ selection }: EditorState): { pos: number; alt: string } | undefined {
  if (!(selection instanceof NodeSelection) || selection.node.type.name !== 'image') return undefined
  return { pos: selection.from, alt: String(selection.node.attrs.alt ?? '') }
}

const picturesOf = (data: DataTransfer | null): File[] =>
  [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'))

export function choosePictures(editor: Editor): void {
  const input = Object.assign(document.createElement('input'), {
    type: 'file',
    multiple: true,
    accept: PICTURE_TYPES.join(','),
  })
  input.addEventListener('change', () => editor.storage.pictures.add(editor, [...(input.files ?? [])]))
  input.click()
}

declare module '@tiptap/core' {
  interface Storage {
    pictures: {
      add: (editor: Editor, files: readonly File[]) => boolean
      describe: () => void
    }
  }
}

/** @returns whether there are any. */
function addPictures(
  view: EditorView,
  files: readonly File[],
  pictureStore: PictureStore,
  at = view.state.selection.to,
): boolean {
  for (const file of files) void addPicture(view, file, pictureStore, at)
  return files.length > 0
}

async function addPicture(view: EditorView, file: File, { store, onError }: PictureStore, pos: number): Promise<void> {
  const id = {}
  view.dispatch(view.state.tr.setMeta(waitingKey, { add: { id, pos } } satisfies Waiting))
  try {
    const src = await store(file)
    if (view.isDestroyed) return
    const place = waitingKey.getState(view.state)?.find(undefined, undefined, (spec) => spec.id === id)[0]
    const { tr, schema } = view.state
    const alt = file.name.replace(/\.\w+$/, '').replaceAll(/[-_]+/g, ' ')
    // If the text around it was deleted, so is the picture.
    if (place && schema.nodes.image) tr.replaceWith(place.from, place.from, schema.nodes.image.create({ src, alt }))
    view.dispatch(tr.setMeta(waitingKey, { remove: id } satisfies Waiting))
  } catch (error) {
    if (!view.isDestroyed) view.dispatch(view.state.tr.setMeta(waitingKey, { remove: id } satisfies Waiting))
    onError(error)
  }
}

function drawWaiting(): HTMLElement {
  const sign = Object.assign(document.createElement('span'), { className: 'waiting-picture' })
  sign.setAttribute('role', 'status')
  sign.textContent = t('Storing the picture…')
  return sign
}

function pictureView(node: Node, { find }: PictureStore): NodeView {
  const dom = document.createElement('img')
  const { src, title } = node.attrs
  let isGone = false
  const setText = (alt: unknown) => {
    dom.alt = String(alt || (isGone ? t('Missing picture') : ''))
  }
  let { alt } = node.attrs
  const showDescription = () => {
    isGone = true
    dom.removeAttribute('src')
    setText(alt)
  }
  setText(alt)
  dom.dataset.src = src
  if (title) dom.title = title
  dom.addEventListener('error', showDescription)
  if (String(src).startsWith('data:image/')) dom.src = src
  else void find(src).then((url) => (url ? dom.setAttribute('src', url) : showDescription()), showDescription)
  return {
    dom,
    ignoreMutation: () => true,
    update: (next) => {
      if (next.type !== node.type || next.attrs.src !== src || next.attrs.title !== title) return false
      alt = next.attrs.alt
      setText(alt)
      return true
    },
  }
}
