import { RangeSet, StateEffect, StateField } from '@codemirror/state'
import { Decoration, EditorView, GutterMarker, gutterLineClass } from '@codemirror/view'

const FAILED = 'cm-failed-line'
const line = Decoration.line({ class: FAILED })
const number = new (class extends GutterMarker {
  override elementClass = FAILED
})()

/** The places where the lines begin that are marked, instead of the earlier ones. */
const effect = StateEffect.define<readonly number[]>()

/** Whoever changes the text has read the marks. */
const field = StateField.define<readonly number[]>({
  create: () => [],
  update: (lines, { docChanged, effects }) => effects.find((one) => one.is(effect))?.value ?? (docChanged ? [] : lines),
})

/** Marks lines of an editor, and their numbers, in which something failed. */
export const failedLines = {
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
