import type { Plan } from '../model/plan.ts';

/** The counts that GitLab reads as a Terraform report (`artifacts: reports: terraform`). */
export function planGitlab({ summary }: Plan): string {
  return `${JSON.stringify({ create: summary.create, update: summary.update, delete: summary.delete })}\n`;
}
