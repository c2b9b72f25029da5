import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState, RangeSet, StateEffect, StateField } from '@codemirror/state'
import {
  Decoration,
  EditorView,
  GutterMarker,
  gutterLineClass,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { type Names, sqlLanguage } from './language.ts'
import type { ErrorMark } from './run-script.ts'

const FAILED = 'cm-failed-line'
const line = Decoration.line({ class: FAILED })
const number = new (class extends GutterMarker {
  override elementClass = FAILED
})()

/** Replaces the marks: the positions at which the marked lines begin. */
const effect = StateEffect.define<readonly number[]>()

/** An edit removes the marks. */
const field = StateField.define<readonly number[]>({
  create: () => [],
  update: (lines, { docChanged, effects }) => effects.find((one) => one.is(effect))?.value ?? (docChanged ? [] : lines),
})

/** Marks failed lines of an editor and their numbers. */
const failedLines = {
  effect,
  extension: [
    field,
    EditorView.decorations.compute([field], (state) =>
      Decoration.set(
        state.field(field).map((from) => line.range(from)),
        true,
      ),
    ),
    gutterLineClass.compute([field], (state) =>
      RangeSet.of(
        state.field(field).map((from) => number.range(from)),
        true,
      ),
    ),
  ],
}

export type EditorHandle = {
  /** The selected or whole text, with the position and line at which it begins. */
  chosen(): { text: string; start: number; line: number }
  /** Replaces the error marks and scrolls to the first. */
  mark(faults: readonly ErrorMark[]): void
  focus(): void
}

type EditorProps = {
  ref?: Ref<EditorHandle>
  /** Read only initially; another text needs another editor. */
  initial: string
  names: Names
  onChange: (text: string) => void
  onRun: () => void
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--color-accent)', fontWeight: '500' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--color-warn)' },
  { tag: tags.number, color: 'var(--color-danger)' },
  { tag: tags.comment, color: 'var(--color-ink-faint)', fontStyle: 'italic' },
  { tag: tags.typeName, color: 'var(--color-ink-soft)' },
])

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--color-ink)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--color-ink-faint)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in oklab, var(--color-panel) 70%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--color-ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in oklab, var(--color-accent) 25%, transparent)',
  },
  '.cm-line.cm-failed-line': { backgroundColor: 'var(--color-danger-soft)' },
  '.cm-gutterElement.cm-failed-line': {
    backgroundColor: 'var(--color-danger-soft)',
    color: 'var(--color-danger)',
    fontWeight: 600,
  },
  '.cm-tooltip': { backgroundColor: 'var(--color-raised)', border: '1px solid var(--color-line)', borderRadius: '6px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--color-accent-soft)',
    color: 'var(--color-ink)',
  },
})

/** A SQL editor that completes the database's names. */
export function Editor({ ref, initial, names, onChange, onRun }: EditorProps) {
  const parent = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const language = useRef(new Compartment())
  const handlers = useRef({ onChange, onRun })
  useEffect(() => {
    handlers.current = { onChange, onRun }
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once, and later names reach it by `language`
  useEffect(() => {
    if (!parent.current) return
    // In a document, the editor would insert a style element, which our Content-Security-Policy forbids.
    const root = parent.current.shadowRoot ?? parent.current.attachShadow({ mode: 'open' })
    const editor = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: initial,
        extensions: [
          keymap.of([
            {
              key: 'Mod-Enter',
              run: (view) => {
                closeCompletion(view)
                handlers.current.onRun()
                return true
              },
            },
          ]),
          lineNumbers(),
          failedLines.extension,
          history(),
          bracketMatching(),
          closeBrackets(),
          autocompletion(),
          highlightActiveLine(),
          syntaxHighlighting(colours),
          language.current.of(sqlLanguage(names)),
          keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, indentWithTab]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': 'SQL' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) handlers.current.onChange(update.state.doc.toString())
          }),
          theme,
        ],
      }),
    })
    view.current = editor
    editor.focus()
    return () => editor.destroy()
  }, [])
  useEffect(() => {
    view.current?.dispatch({
      effects: language.current.reconfigure(sqlLanguage(names)),
    })
  }, [names])
  useImperativeHandle(ref, () => ({
    chosen() {
      const state = view.current?.state
      if (!state) return { text: initial, start: 0, line: 1 }
      const { from, to, empty } = state.selection.main
      if (empty) return { text: state.doc.toString(), start: 0, line: 1 }
      return { text: state.sliceDoc(from, to), start: from, line: state.doc.lineAt(from).number }
    },
    mark(faults) {
      const editor = view.current
      if (!editor) return
      const length = editor.state.doc.length
      const diagnostics = faults.map(({ from, message }): Diagnostic => {
        const at = Math.min(from, length)
        const word = editor.state.wordAt(at)
        return { from: at, to: Math.max(word?.to ?? at + 1, at), severity: 'error', message }
      })
      editor.dispatch(setDiagnostics(editor.state, diagnostics), {
        effects: [
          failedLines.effect.of(diagnostics.map(({ from }) => editor.state.doc.lineAt(from).from)),
          ...diagnostics.slice(0, 1).map(({ from }) => EditorView.scrollIntoView(from, { y: 'center' })),
        ],
      })
    },
    focus: () => view.current?.focus(),
  }))
  return <div ref={parent} className="h-full min-h-0 overflow-auto" />
}
