export type { Message } from './message.ts';
export type { Outcome } from './outcome.ts';
export { sidesOf } from './plan.ts';
export { createRenderer, type Renderer } from './renderer.ts';
export { type ContextChoice, type RenderedSides, renderTemplate, type Sides } from './template.ts';
