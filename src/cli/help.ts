/** What `--help` says beyond options and their descriptions. */
import { Help, type HelpConfiguration } from 'commander';

const usual = new Help();

/** Marks the options that a command cannot do without. */
export const marksRequired: HelpConfiguration = {
  optionDescription: (option) =>
    `${usual.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`,
};

/** What follows the options: how the command is called, say. */
export const example = (command: string): string => `\nExample:\n  crm ${command}`;
