"""riata completion"""

from __future__ import annotations

import click


@click.command(short_help="Print the script that completes commands in your shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a completion script.

    \b
    riata completion bash >> ~/.bashrc
    riata completion zsh >> ~/.zshrc
    riata completion fish > ~/.config/fish/completions/riata.fish
    """
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    root = context.find_root().command
    assert completion is not None  # the three shells are click's own
    click.echo(completion(root, {}, "riata", "_RIATA_COMPLETE").source())
