/** What the views of arrays and groups share. */
import type { ViewState } from './state.js';

/** The page, as its views use it. */
export interface Host {
  state: ViewState;
  /** Shows an error with its remedy. */
  report(error: unknown): void;
  /** Removes the error that is shown. */
  clearError(): void;
  /** A short text about what is going on, which screen readers read out. */
  status(text: string): void;
}

export interface View {
  element: HTMLElement;
  dispose(): void;
}
